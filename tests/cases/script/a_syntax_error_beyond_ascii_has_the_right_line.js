// exit: 2
// stderr: {file}:5
// stderr: ünïcödé
export const main = () => "😀";
const text = "ünïcödé 中文 😀" "twice";
