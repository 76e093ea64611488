// stdout: [1,2]
export function main() {
  return Promise.all([1, new Promise((resolve) => setTimeout(resolve, 5, 2))]);
}
