// SPDX-License-Identifier: GPL-2.0-or-later
// OTLP profiles, as protoc decodes them.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { run } = require("./tools.js");
const { Rows } = require("./rows.js");

const DATA = "opentelemetry.proto.profiles.v1development.ProfilesData";

// Bytes of protoc's text, which has \ooo for what is not ASCII.
function unquoted(text) {
  const plain = { n: "\n", r: "\r", t: "\t" };
  const bytes = text.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code) => (code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : (plain[code] ?? code)));
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(bytes, "latin1"));
}

// A message of protoc's text, from a line on: each field is a list.
function messageOf(lines) {
  const message = {};
  while (lines.next < lines.length) {
    const line = lines[lines.next++].trim();
    const end = line.search(/:| \{/);
    const name = line.slice(0, end);
    if (line === "}" || line === "") {
      break;
    }
    message[name] ??= [];
    message[name].push(line.endsWith("{") ? messageOf(lines) : line.slice(end + 2));
  }
  return message;
}

function decoded(file) {
  const folder = process.env.OTLP_PROTO ?? __dirname;
  const name = process.env.OTLP_PROTO ? path.join(folder, "opentelemetry/proto/profiles/v1development/profiles.proto") : path.join(folder, "otlp.proto");
  const text = run("protoc", [`--proto_path=${folder}`, `--decode=${DATA}`, name], fs.readFileSync(file));
  return messageOf(Object.assign(text.split("\n"), { next: 0 }));
}

// What a number of a table means; it must be there.
class Tables {
  constructor(dictionary) {
    this.dictionary = dictionary;
  }

  at(table, number) {
    const found = this.dictionary[`${table}_table`]?.[Number(number ?? 0)];
    if (found === undefined) {
      throw new Error(`otlp: ${table}_table has no ${number}`);
    }
    return found;
  }

  text(number) {
    return unquoted(this.at("string", number));
  }

  attributes(message) {
    const ret = {};
    for (const number of message.attribute_indices ?? []) {
      const { key_strindex: [key], value: [value] } = this.at("attribute", number);
      if (this.text(key) in ret) {
        throw new Error(`otlp: ${this.text(key)} is there twice`);
      }
      ret[this.text(key)] = value.int_value?.[0] ?? unquoted(value.string_value[0]);
    }
    return ret;
  }

  // Functions and their lines, from the leaf on.
  stack(number) {
    return (this.at("stack", number).location_indices ?? []).flatMap((location) => {
      const at = this.at("location", location);
      if (at.mapping_index) {
        this.at("mapping", at.mapping_index[0]);
      }
      return at.lines.map(({ function_index: [index], line }) => {
        const { name_strindex: name, filename_strindex: file } = this.at("function", index);
        return { name: this.text(name?.[0]), line: line ? `${this.text(file[0])}:${line}` : undefined };
      });
    });
  }
}

function profileOf(data, tables, type) {
  const name = type === "time" ? "cpu" : type;
  const [{ scope_profiles: [scope] }] = data.resource_profiles;
  const found = scope.profiles.find((profile) => tables.text(profile.sample_type[0].type_strindex[0]) === name);
  if (!found) {
    throw new Error(`otlp has no profile of ${name}`);
  }
  return found;
}

// Time that has no sample says so.
function read(file, type) {
  const data = decoded(file);
  const tables = new Tables(data.dictionary[0]);
  const ret = new Rows();
  for (const sample of profileOf(data, tables, type).samples ?? []) {
    const labels = tables.attributes(sample);
    const [leaf] = tables.stack(sample.stack_index[0]);
    sample.values.forEach((value) => ret.add(labels["xen.domain.name"], labels["xen.mode"], leaf.name, labels["xenoprof.samples"] ?? 1, value, leaf.line));
  }
  return ret;
}

// Each sample has a time in the profile's, and is told apart from all others.
function check(file, report, type) {
  const data = decoded(file);
  const tables = new Tables(data.dictionary[0]);
  const profile = profileOf(data, tables, type);
  const from = BigInt(profile.time_unix_nano?.[0] ?? 0);
  const end = from + BigInt(profile.duration_nano[0]);
  const wrong = [];
  for (const sample of profile.samples ?? []) {
    if (sample.values.length !== sample.timestamps_unix_nano?.length) {
      wrong.push(`otlp: ${sample.values.length} values have other times`);
    }
    for (const time of sample.timestamps_unix_nano ?? []) {
      if (BigInt(time) < from || BigInt(time) >= end) {
        wrong.push(`otlp: ${time} is not in ${from}..${end}`);
      }
    }
  }
  const resource = Object.fromEntries(data.resource_profiles[0].resource[0].attributes.map(({ key: [key], value: [value] }) => [unquoted(key), value.string_value && unquoted(value.string_value[0])]));
  if (resource["host.name"] !== (report.session.host ?? undefined)) {
    wrong.push(`otlp: host.name is ${resource["host.name"]}, not ${report.session.host}`);
  }
  return wrong;
}

module.exports = { needs: ["protoc"], has: ["domain", "mode", "samples", "lines"], types: true, read, check };
