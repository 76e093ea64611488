// stdout: "constant"
const main = () => "constant";
