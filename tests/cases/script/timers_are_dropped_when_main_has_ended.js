// stdout: "ended"
// console:
export function main() {
  setTimeout(() => console.log("late"), 10);
  setInterval(() => console.log("late"), 1);
  return "ended";
}
