// exit: 1
// stderr: {file}:5
export function main() {
  try {
    JSON.parse("{");
  } catch (error) {
    throw error;
  }
}
