// SPDX-License-Identifier: GPL-2.0-or-later
// Reads messages of Protocol Buffers.
"use strict";

function number(state) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    if (state.at >= state.bytes.length) {
      throw new Error("a message ends inside a number");
    }
    const byte = state.bytes[state.at++];
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
}

function take(state, size) {
  if (size > state.bytes.length - state.at) {
    throw new Error("a message ends inside a field");
  }
  state.at += size;
  return state.bytes.subarray(state.at - size, state.at);
}

function rawValue(state, wire) {
  switch (wire) {
    case 0: return number(state);
    case 1: return take(state, 8);
    case 2: return take(state, Number(number(state)));
    default: throw new Error(`no field is of wire type ${wire}`);
  }
}

// Text that is not UTF-8 is an error.
const utf8 = new TextDecoder("utf-8", { fatal: true });

function numbers(bytes) {
  const state = { bytes, at: 0 };
  const ret = [];
  while (state.at < bytes.length) {
    ret.push(number(state));
  }
  return ret;
}

function valueOf(kind, raw) {
  switch (kind) {
    case "number": return raw;
    case "fixed64": return raw.readBigUInt64LE();
    case "numbers": return typeof raw === "bigint" ? [raw] : numbers(raw);
    case "text": return utf8.decode(raw);
    default: return decode(raw, kind);
  }
}

// Returns an object with an array for each name that the message has a field of.
// A schema is { FIELD: [NAME, KIND] }, where a kind is number, numbers, fixed64,
// text, or the schema of a message; other fields are left out.
function decode(bytes, schema) {
  const state = { bytes, at: 0 };
  const ret = {};
  while (state.at < bytes.length) {
    const head = number(state);
    const raw = rawValue(state, Number(head & 7n));
    const field = schema[Number(head >> 3n)];
    if (field) {
      const value = valueOf(field[1], raw);
      ret[field[0]] = (ret[field[0]] ?? []).concat(value);
    }
  }
  return ret;
}

module.exports = { decode };
