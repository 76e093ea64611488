// no prelude:
// exit: 2
// stderr: {file} does not define main
