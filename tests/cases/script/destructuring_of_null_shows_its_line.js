// exit: 1
// stderr: TypeError: cannot read the members of null
// stderr: {file}:7
export function main() {
  const nobody = null;

  const { born } = nobody;
  return born;
}
