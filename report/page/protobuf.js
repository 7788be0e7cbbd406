// SPDX-License-Identifier: GPL-2.0-or-later
// Writes messages of Protocol Buffers.  What is 0 or "" is not written, as there.
class Protobuf {
  constructor() {
    this.room = new Uint8Array(64);
    this.used = 0;
  }

  get bytes() {
    return this.room.subarray(0, this.used);
  }

  reserve(count) {
    if (this.used + count <= this.room.length)
      return;
    const more = new Uint8Array(2 * (this.used + count));
    more.set(this.bytes);
    this.room = more;
  }

  // Seven bits a byte, lowest first; also of numbers with more than 32 bits.
  varint(value) {
    if (!(value >= 0 && value < Infinity))
      throw new RangeError("a number that is " + value);
    this.reserve(10);
    for (; value >= 0x80; value = Math.floor(value / 0x80))
      this.room[this.used++] = value % 0x80 + 0x80;
    this.room[this.used++] = value;
    return this;
  }

  numbers(values) {
    values.forEach((value) => this.varint(value));
    return this;
  }

  number(field, value) {
    return value ? this.varint(field * 8).varint(value) : this;
  }

  raw(bytes) {
    this.reserve(bytes.length);
    this.room.set(bytes, this.used);
    this.used += bytes.length;
    return this;
  }

  // As an element of a list, which may be 0 or empty.
  part(field, bytes) {
    return this.varint(field * 8 + 2).varint(bytes.length).raw(bytes);
  }

  text(field, text) {
    return this.part(field, new TextEncoder().encode(text));
  }

  message(field, message) {
    return this.part(field, message.bytes);
  }

  packed(field, numbers) {
    return this.message(field, new Protobuf().numbers(numbers));
  }
}
