// exit: 1
// stderr: InvalidCharacterError: The string to be decoded is not correctly encoded
// stderr: {file}:5
export function main() {
  return atob("A");
}
