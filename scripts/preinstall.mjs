// Run by whatever installs the packages of this folder. npm knows no pnpm workspace: what it makes here looks installed, and lacks most of it. It runs this when that
// is done, so all that is left is to say so; `npm run setup` puts it right.
const installer = process.env.npm_config_user_agent?.split(' ', 1)[0] ?? 'this';
if (!installer.startsWith('pnpm/')) {
  process.stderr.write(`\n${installer} cannot install this workspace. Say instead: npm run setup\n\n`);
  process.exitCode = 1;
}
