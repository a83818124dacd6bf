/**
 * All commits must go through the committer, which adds what replication needs. The test queries the TypeScript compiler, so no alias, type
 * or access path hides a call.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'
import { beforeAll, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
  .replaceAll('\\', '/')
  .replace(/\/$/, '')

const SRC = `${ROOT}/src/`

/** Files that may call `commit`: the storage room, storage implementations, and the fence, which has its own storage. */
const MAY =
  /^(?:core\/storage|adapters|testing)\/|^core\/transaction\/committer\.ts$|^sys\/replication\/fence\/storage-fence\.ts$/

const PORT = `${SRC}core/storage/port.ts`

/** `commitWithRetries` repeats a commit of the port that it receives. */
const SURELY = `${SRC}core/storage/commit-with-retries.ts`

const SNEAKY = `${SRC}core/due/sneaky.ts`

const SNEAKY_TEXT = `
import { commitWithRetries as surely } from '../storage/commit-with-retries.ts'
import type { Storage } from '../storage/port.ts'
export async function sneak(storage: Storage | undefined, some: Pick<Storage, 'commit'>, ops: []) {
  await storage?.commit(ops, 'a')
  await some['commit'](ops, 'a')
  const { commit, join: joined } = storage as Storage
  await storage?.join?.(ops, {})
  const own = { commit: async () => {}, join: () => '' }
  await own.commit()
  return [commit, joined, own.join(), ['a'].join(''), surely]
}
`

let found: readonly string[]

beforeAll(() => {
  const { config } = ts.readConfigFile(`${ROOT}/tsconfig.json`, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT)
  const host = ts.createCompilerHost(options, true)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (name) => name === SNEAKY || fileExists.call(host, name)
  host.readFile = (name) => (name === SNEAKY ? SNEAKY_TEXT : readFile.call(host, name))
  host.getSourceFile = (name, version, ...more) =>
    name === SNEAKY ? ts.createSourceFile(name, SNEAKY_TEXT, version, true) : getSourceFile.call(host, name, version, ...more)
  const rootNames = [...ts.sys.readDirectory(SRC, ['.ts']), SNEAKY]
  found = callsIn(ts.createProgram({ rootNames, options, host }))
})

/** Returns `file:line` of every mention of the port's `commit` and `join`, and of every import of `commitWithRetries`. */
function callsIn(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker()
  const isOfPort = (symbol: ts.Symbol | undefined): boolean =>
    symbol?.declarations?.some((declaration) => declaration.getSourceFile().fileName === PORT) === true
  const calls: string[] = []
  for (const source of program.getSourceFiles()) {
    if (!source.fileName.startsWith(SRC) || source.fileName === PORT) continue
    const file = source.fileName.slice(SRC.length)
    const visit = (node: ts.Node): void => {
      const name = ts.isIdentifier(node) || ts.isStringLiteral(node) ? node.text : ''
      const isMention =
        name === 'commit' || name === 'join'
          ? isOfPort(symbolAt(checker, node))
          : ts.isImportSpecifier(node) && isSurely(checker, node)
      if (isMention) calls.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return calls
}

/** The symbol of a name; in a destructuring pattern the symbol of the member. */
function symbolAt(checker: ts.TypeChecker, node: ts.Node): ts.Symbol | undefined {
  const { parent } = node
  if (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node)
    return checker.getTypeAtLocation(parent.parent).getProperty((node as ts.Identifier).text)
  return checker.getSymbolAtLocation(node)
}

function isSurely(checker: ts.TypeChecker, node: ts.ImportSpecifier): boolean {
  const symbol = checker.getSymbolAtLocation(node.name)
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return target?.declarations?.some((declaration) => declaration.getSourceFile().fileName === SURELY) === true
}

it('the source analysis finds every reference to commit or join of a storage', () => {
  expect(found.filter((call) => call.startsWith('core/due/sneaky.ts'))).toEqual(
    [2, 5, 6, 7, 7, 8].map((line) => `core/due/sneaky.ts:${line}`),
  )
  expect(found.some((call) => call.startsWith('core/transaction/committer.ts'))).toBe(true)
  expect(found.some((call) => call.startsWith('core/storage/commit-with-retries.ts'))).toBe(true)
})

it('only the permitted files refer to commit or join of a storage', () => {
  expect(found.filter((call) => !MAY.test(call.replace(/:\d+$/, '')) && !call.startsWith('core/due/sneaky.ts'))).toEqual([])
})
