// exit: 2
// stderr: import
// stderr: other.js
import { other } from "./other.js";
export function main() {
  return other;
}
