// exit: 1
// stderr: {file}:3
const made = () => new Error("made early");
export function main() {
  const error = made();

  throw error;
}
