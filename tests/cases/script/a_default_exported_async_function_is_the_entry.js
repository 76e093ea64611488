// stdout: "default x"
// arguments: x
export default async (argument) => `default ${argument}`;
