// stdout: "caught: wrong"
// console:
export async function main() {
  try {
    await Promise.reject(new Error("wrong"));
  } catch (error) {
    return `caught: ${error.message}`;
  }
}
