// Who may import whom: design rules of the workspace as checks. Types count like values (tsPreCompilationDeps), so a
// boundary that only types cross is crossed all the same.

const leaf = (name) => ({
  name: `${name}-is-a-leaf`,
  comment: `packages/${name} imports no other package of the workspace.`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^(packages|examples|scripts)/', pathNot: `^packages/${name}/src/` },
});

const facade = '^packages/holdfast/src';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Also type-only ones: two files that need each other are one file or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      comment: 'An import nobody can follow is an import no rule here sees.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    leaf('core'),
    leaf('notify'),
    leaf('watchdog'),
    {
      ...leaf('testkit'),
      comment: 'The testkit imports no package under test, else a bug could hide behind itself.',
    },
    {
      name: 'memory-imports-core-only',
      comment: 'The memory server executes what core defines, and knows nothing of the client that is run on it.',
      severity: 'error',
      from: { path: '^packages/memory/src/' },
      to: { path: '^(packages|examples|scripts)/', pathNot: '^packages/(memory|core)/src/' },
    },
    {
      name: 'lua-in-memory-is-for-simulations-and-tests',
      comment: 'It needs a parser. What users get executes the rules.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/(memory/src/lua|simulation|[^/]+/test)/' },
      to: { path: ['^packages/memory/src/lua/', 'node_modules/luaparse/'] },
    },
    {
      name: 'facade-imports-the-leaves-only',
      comment: 'And holdfast/testing, which is an entry point of its own, the memory server.',
      severity: 'error',
      from: { path: `${facade}/`, pathNot: `${facade}/testing/` },
      to: { path: '^(packages|examples|scripts)/', pathNot: '^packages/(holdfast|core|notify|watchdog)/src/' },
    },
    {
      name: 'testing-stands-beside-the-client',
      comment: 'What an application installs for its work loads nothing that is for tests.',
      severity: 'error',
      from: { path: `${facade}/`, pathNot: `${facade}/testing/` },
      to: { path: `${facade}/testing/` },
    },
    {
      name: 'the-api-of-redlock-stands-beside-the-client',
      comment:
        'It is for those who come from there, and no part of what others load. Values of the client come from its own file.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [`${facade}/redlock5/`, '^packages/holdfast/test/'] },
      to: { path: `${facade}/redlock5/` },
    },
    {
      name: 'the-api-of-redlock-imports-holdfast-as-a-whole',
      severity: 'error',
      from: { path: `${facade}/redlock5/` },
      to: { path: '^packages/', pathNot: ['^packages/watchdog/src/', `${facade}/(redlock5/|index\\.ts$)`] },
    },
    {
      name: 'the-command-line-stands-beside-the-client',
      comment: 'It is a program of its own, and no part of the bundle of an application.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [`${facade}/cli/`, '^packages/holdfast/test/cli/'] },
      to: { path: `${facade}/cli/` },
    },
    {
      name: 'the-command-line-imports-holdfast-as-a-whole',
      comment: 'Its file asks for that of holdfast; beside it, it knows how keys are named and reads a clock.',
      severity: 'error',
      from: { path: `${facade}/cli/` },
      to: { path: '^packages/', pathNot: ['^packages/(core|watchdog)/src/', `${facade}/(cli/|index\\.ts$)`] },
    },
    {
      name: 'testing-imports-holdfast-as-a-whole',
      comment:
        'Its file asks for that of holdfast: values of the client come from there, or there would be two classes of clients.',
      severity: 'error',
      from: { path: `${facade}/testing/` },
      to: {
        path: '^packages/',
        pathNot: [
          '^packages/(core|memory|watchdog)/src/',
          `${facade}/(testing/|index\\.ts$|backstage\\.ts$|surroundings\\.ts$)`,
        ],
      },
    },
    {
      name: 'packages-meet-at-their-index',
      comment: 'What a package does not export is its own business.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: [
          '^packages/$1/',
          '^packages/[^/]+/src/((testing|lua)/)?(index|internal)\\.ts$',
          '^packages/core/src/(election|latch|permits|read-write|share)/index\\.ts$',
        ],
      },
    },
    {
      name: 'nothing-imports-the-bench',
      severity: 'error',
      from: { pathNot: '^packages/bench/' },
      to: { path: '^packages/bench/' },
    },
    {
      name: 'nothing-imports-the-simulation',
      severity: 'error',
      from: { pathNot: '^packages/simulation/' },
      to: { path: '^packages/simulation/' },
    },
    {
      name: 'nothing-imports-safety',
      comment: 'It judges the others: runs, faults and checkers are no part of them.',
      severity: 'error',
      from: { pathNot: '^packages/safety/' },
      to: { path: '^packages/safety/' },
    },
    {
      name: 'tests-use-their-package-and-the-testkit',
      severity: 'error',
      comment:
        "The facade's tests also know its leaves: they recognise commands by the scripts' SHA. Those of safety judge runs of the facade.",
      from: {
        path: '^packages/([^/]+)/test/',
        pathNot: '^packages/(holdfast|safety|simulation|memory|opentelemetry|nestjs)/',
      },
      to: { path: '^packages/', pathNot: '^packages/($1|testkit)/' },
    },
    {
      name: 'tests-of-memory-know-core',
      comment: 'They send the commands of core to a real server and to the one in memory.',
      severity: 'error',
      from: { path: '^packages/memory/test/' },
      to: { path: '^packages/', pathNot: '^packages/(memory|core|testkit)/' },
    },
    {
      name: 'tests-of-simulation-know-core',
      comment: 'They show judges what clients send.',
      severity: 'error',
      from: { path: '^packages/simulation/test/' },
      to: { path: '^packages/', pathNot: '^packages/(simulation|core|testkit)/' },
    },
    {
      name: 'opentelemetry-subscribes-only',
      comment:
        'What it knows of holdfast are the types of messages: it works with whichever copy of holdfast publishes them.',
      severity: 'error',
      from: { path: '^packages/opentelemetry/src/' },
      to: {
        path: '^(packages|examples|scripts)/',
        pathNot: '^packages/opentelemetry/src/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tests-of-opentelemetry-use-holdfast',
      severity: 'error',
      from: { path: '^packages/opentelemetry/test/' },
      to: { path: '^packages/', pathNot: '^packages/(opentelemetry|holdfast|testkit)/' },
    },
    {
      name: 'nestjs-uses-holdfast-as-users-do',
      severity: 'error',
      from: { path: '^packages/nestjs/' },
      to: { path: '^packages/', pathNot: '^packages/(nestjs/|testkit/|holdfast/src/(index|testing/index)\\.ts$)' },
    },
    {
      name: 'nothing-shipped-imports-tests-or-tools',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '(^packages/[^/]+/test/)|(^scripts/)|(^examples/)|(\\.test\\.ts$)' },
    },
    {
      name: 'no-undeclared-dependencies',
      comment: 'What users install brings everything along: src imports peers, and what the build bundles.',
      severity: 'error',
      from: { path: '^packages/(core|notify|watchdog|holdfast)/src/' },
      to: {
        pathNot: 'node_modules/nanoid/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-optional'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'connection-knows-no-locks',
      severity: 'error',
      from: { path: `${facade}/connection/` },
      to: { path: `${facade}/(lock/|rlock\\.ts|client\\.ts|handle\\.ts|hold\\.ts)` },
    },
    {
      name: 'reports-know-no-locks-and-no-connections',
      severity: 'error',
      from: { path: `${facade}/reports/` },
      to: { path: `${facade}/(lock|connection)/` },
    },
    {
      name: 'lock-knows-no-facade',
      severity: 'error',
      from: { path: `${facade}/lock/` },
      to: { path: `${facade}/(rlock|client|hold|handle)\\.ts$` },
    },
    {
      name: 'no-drawer-for-everything',
      comment: 'A name that fits anything says nothing: no utils, common, helpers or shared.',
      severity: 'error',
      from: { path: '(^|/)(utils?|common|helpers?|shared|misc)(/|\\.[cm]?[jt]s$)', pathNot: 'node_modules' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/', '\\.tmp(/|\\.)', '^packages/[^/]+/tsup\\.config\\.ts$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@holdfast/source', 'import', 'types', 'node', 'default'],
    },
  },
};
