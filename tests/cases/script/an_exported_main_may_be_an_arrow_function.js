// stdout: 3
export const main = async () => 3;
