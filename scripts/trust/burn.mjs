// Keeps one core busy for as long as the process that started it lives: the channel to that one closes however it ended.
process.once('disconnect', () => process.exit());
function burn() {
  const until = performance.now() + 50;
  while (performance.now() < until);
  setImmediate(burn);
}
burn();
