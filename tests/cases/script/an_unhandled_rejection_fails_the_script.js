// exit: 1
// stdout:
// stderr: nobody listens
// stderr: {file}:6
export function main() {
  Promise.reject(new Error("nobody listens"));
  return "result";
}
