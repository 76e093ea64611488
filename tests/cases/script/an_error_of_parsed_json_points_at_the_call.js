// exit: 1
// stderr: 8 │   const read = JSON.parse("{");
// stderr: at main ({file}:8
// stderr lacks: <input>
// stderr lacks: :1:1

export function main() {
  const read = JSON.parse("{");
  return read;
}
