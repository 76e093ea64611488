// exit: 2
// stderr: SyntaxError: await needs: export async function main()
// stderr: {file}:5
export function main() {
  await null;
}
