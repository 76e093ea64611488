// exit: 1
// stderr: TypeError: cannot read the members of undefined
// stderr: {file}:6
function greet(
  greeting,
  { name },
) {
  return greeting + name;
}
export function main() {
  return greet("hello");
}
