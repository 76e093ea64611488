// exit: 1
// stderr: {file}:7
// stderr: "ünïcödé 中文 😀"
export function main() {
  /* ein Kommentar
     über zwei Zeilen 😀 */
  const text = "ünïcödé 中文 😀"; throw new Error(text);
}
