// exit: 2
// stderr: import
// stderr: node:fs
import fs from "node:fs";
export function main() {}
