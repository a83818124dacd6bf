// Types of parameters and results as TypeScript text, asked of the compiler, so that what is generated cannot say anything else than the operations.
import { posix } from 'node:path'
import ts from 'typescript-5'

const FLAGS =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.UseSingleQuotesForStringLiteralType |
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  ts.NodeBuilderFlags.IgnoreErrors

/**
 * @param {string} root of the project
 * @param {readonly string[]} modules below `src/`, whose exports will be asked for
 */
export function typeTexts(root, modules) {
  const { config } = ts.readConfigFile(posix.join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram({ rootNames: modules.map((name) => posix.join(root, 'src', name)), options })
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: true })

  const memberOf = (type, name) => checker.getTypeOfPropertyOfType(type, name)

  /** The type of `path` into an export of a module, such as `kv.operations`. */
  function exported(module, path) {
    const source = program.getSourceFile(posix.join(root, 'src', module))
    const [name, ...members] = path.split('.')
    const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).find((one) => one.name === name)
    if (!symbol) throw new Error(`${module} exports no ${name}`)
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return members.reduce((type, member) => memberOf(type, member), checker.getTypeOfSymbol(target))
  }

  /** @returns {{ text: string, imports: Map<string, string> }} With the names it takes from other modules, and their paths below `src/`. */
  function textOf(type) {
    const words = wordsOf(type)
    if (words) return { text: words, imports: new Map() }
    const node = withoutUndefined(checker.typeToTypeNode(type, undefined, FLAGS))
    const imports = new Map()
    const visit = (part) => {
      if (ts.isTypeReferenceNode(part)) note(part.typeName, imports)
      if (part.kind === ts.SyntaxKind.AnyKeyword) throw new Error(`any in ${checker.typeToString(type)}`)
      ts.forEachChild(part, visit)
    }
    visit(node)
    const source = program.getSourceFile(posix.join(root, 'src', modules[0]))
    return {
      text: printer
        .printNode(ts.EmitHint.Unspecified, node, source)
        .replaceAll(/\s+/g, ' ')
        .replaceAll('Uint8Array<ArrayBufferLike>', 'Uint8Array'),
      imports,
    }
  }

  /** Unions of words are shown as what they are, whatever their name. The compiler has no order for them. */
  function wordsOf(type) {
    const parts = (type.isUnion() ? type.types : [type]).filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
    if (parts.length === 0 || !parts.every((part) => part.isStringLiteral())) return undefined
    return parts
      .map(({ value }) => `'${value}'`)
      .sort()
      .join(' | ')
  }

  function withoutUndefined(node) {
    if (!ts.isUnionTypeNode(node)) return node
    const kept = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)
    return kept.length === 1 ? kept[0] : ts.factory.createUnionTypeNode(kept)
  }

  function note(identifier, imports) {
    const { symbol } = identifier
    const file = symbol?.declarations?.[0]?.getSourceFile()
    if (!file || program.isSourceFileDefaultLibrary(file)) return
    const isExported = checker.getExportsOfModule(checker.getSymbolAtLocation(file)).some(({ name }) => name === symbol.name)
    if (!isExported) throw new Error(`${symbol.name} of ${file.fileName} is shown to users: export it`)
    imports.set(symbol.name, posix.relative(posix.join(root, 'src'), file.fileName))
  }

  const typeTaken = (module, path) => memberOf(exported(module, path), '~in')

  function typeGiven(module, path) {
    const decode = memberOf(exported(module, path), 'decode')
    return decode.getCallSignatures()[0].getReturnType()
  }

  /** An object, or what a list of them holds. */
  function objectIn(type) {
    const present = checker.getNonNullableType(type)
    return checker.getIndexTypeOfType(present, ts.IndexKind.Number) ?? present
  }

  /** @param {readonly string[]} way of names, each within the object, or each of the list, before it */
  function memberAt(type, way) {
    const symbol = checker.getPropertyOfType(
      way.slice(0, -1).reduce((at, name) => objectIn(memberOf(at, name)), objectIn(type)),
      way.at(-1),
    )
    if (!symbol) throw new Error(`there is no ${way.join('.')} in ${checker.typeToString(type)}`)
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
    return { ...textOf(checker.getTypeOfSymbol(symbol)), isOptional }
  }

  return {
    /** What a caller passes for a field, at `path` into the exports of a module. */
    taken: (module, path) => textOf(typeTaken(module, path)),
    /** What a caller gets of a field. */
    given: (module, path) => textOf(typeGiven(module, path)),
    /** The same of a field within that field. */
    takenWithin: (module, path, way) => memberAt(typeTaken(module, path), way),
    givenWithin: (module, path, way) => memberAt(typeGiven(module, path), way),
    /** Whether a caller may leave it out, or may not get it. */
    isOptional(module, path) {
      const mark = memberOf(exported(module, path), '~optional')
      return mark.isUnion() ? false : (mark.flags & ts.TypeFlags.BooleanLiteral) !== 0 && checker.typeToString(mark) === 'true'
    },
  }
}
