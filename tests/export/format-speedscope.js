// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope, by the rules of its file-format-spec.ts.
"use strict";

const fs = require("node:fs");
const { Rows, checkCount } = require("./rows.js");

// "web v0", or "web" where it is not known which vCPU.
function domainOf(name) {
  return name.replace(/ v\d+$/, "");
}

function read(file) {
  const all = JSON.parse(fs.readFileSync(file, "utf8"));
  const { frames } = all.shared;
  const ret = new Rows();
  for (const profile of all.profiles) {
    profile.samples.forEach((stack, i) => {
      const name = frames[stack.at(-1)].name;
      ret.add(domainOf(profile.name), "-", name, 0, profile.weights[i]);
    });
  }
  return ret;
}

function isIndex(value, length) {
  return Number.isInteger(value) && value >= 0 && value < length;
}

function checkProfile(profile, frames) {
  const wrong = [];
  const sum = profile.weights.reduce((before, weight) => before + weight, 0);
  if (profile.type !== "sampled" || !["nanoseconds", "none"].includes(profile.unit)) {
    wrong.push(`${profile.name}: type ${profile.type}, unit ${profile.unit}`);
  }
  if (profile.samples.length !== profile.weights.length || profile.endValue - profile.startValue !== sum) {
    wrong.push(`${profile.name}: ${profile.samples.length} samples, ${profile.weights.length} weights of ${sum}`);
  }
  if (!profile.samples.every((stack) => stack.length && stack.every((frame) => isIndex(frame, frames.length)))) {
    wrong.push(`${profile.name}: a stack has frames that there are not`);
  }
  if (!profile.weights.every((weight) => Number.isSafeInteger(weight) && weight >= 0)) {
    wrong.push(`${profile.name}: a weight is not a whole number`);
  }
  return wrong;
}

function check(file, report, type) {
  const all = JSON.parse(fs.readFileSync(file, "utf8"));
  const wrong = all.profiles.flatMap((profile) => checkProfile(profile, all.shared.frames));
  const count = all.profiles.flatMap((profile) => profile.samples).filter((stack) => all.shared.frames[stack.at(-1)].name !== "[not sampled]").length;
  wrong.push(...checkCount(report, count));
  const busiest = all.profiles.every((profile) => profile.endValue <= all.profiles[all.activeProfileIndex].endValue);
  if (all.$schema !== "https://www.speedscope.app/file-format-schema.json" || !busiest) {
    wrong.push(`schema ${all.$schema}, profile ${all.activeProfileIndex}`);
  }
  if (!all.name.includes(` ${report.session.lost} lost`)) {
    wrong.push(`${all.name} does not say what was lost`);
  }
  const sources = report.rows.filter(({ line }) => line).map(({ symbol, line }) => `${symbol} ${line.replace(/:\d+$/, "")}`);
  const files = all.shared.frames.map(({ name, file }) => `${name} ${file}`);
  wrong.push(...sources.filter((source) => !files.includes(source)).map((source) => `no frame has ${source}`));
  if (all.profiles.some((profile) => (profile.unit === "none") === ["time", "waiting"].includes(type))) {
    wrong.push(`${type} has another unit`);
  }
  return wrong;
}

module.exports = { needs: [], has: ["domain"], types: false, read, check };
