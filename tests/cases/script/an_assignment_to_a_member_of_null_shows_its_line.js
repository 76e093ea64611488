// exit: 1
// stderr: TypeError: cannot set property 'name' of null
// stderr: {file}:7
export function main() {
  const nobody = null;

  nobody.name =
    String(1);
}
