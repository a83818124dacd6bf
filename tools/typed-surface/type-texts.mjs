// The types of parameters and results as TypeScript text. The text comes from the compiler, so that the generated interfaces cannot differ from the
// operations.
import { posix } from 'node:path'
import ts from 'typescript-5'

const FLAGS =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.UseSingleQuotesForStringLiteralType |
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  ts.NodeBuilderFlags.IgnoreErrors

/**
 * @param {string} root of the project
 * @param {readonly string[]} modules paths below `src/`; types are available for the exports of these modules
 */
export function typeTexts(root, modules) {
  const { config } = ts.readConfigFile(posix.join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram({ rootNames: modules.map((name) => posix.join(root, 'src', name)), options })
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: true })

  const memberOf = (type, name) => checker.getTypeOfPropertyOfType(type, name)

  /** The type of the export of a module at `path`, such as `kv.operations`. */
  function exported(module, path) {
    const source = program.getSourceFile(posix.join(root, 'src', module))
    const [name, ...members] = path.split('.')
    const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).find((symbol) => symbol.name === name)
    if (!symbol) throw new Error(`${module} has no export ${name}`)
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return members.reduce((type, member) => memberOf(type, member), checker.getTypeOfSymbol(target))
  }

  /** @returns {{ text: string, imports: Map<string, string> }} The text, and the file below `src/` of each type that it uses. */
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

  /** A union of string literals is written out, sorted, even if the type has a name: the compiler's order is not stable. */
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
    if (!isExported) throw new Error(`${symbol.name} in ${file.fileName} is part of the public types and must be exported`)
    imports.set(symbol.name, posix.relative(posix.join(root, 'src'), file.fileName))
  }

  const argumentTypeOf = (module, path) => memberOf(exported(module, path), '~in')

  function resultTypeOf(module, path) {
    const decode = memberOf(exported(module, path), 'decode')
    return decode.getCallSignatures()[0].getReturnType()
  }

  /** The element type of a list, and any other type without null and undefined. */
  function objectIn(type) {
    const present = checker.getNonNullableType(type)
    return checker.getIndexTypeOfType(present, ts.IndexKind.Number) ?? present
  }

  /** The type of a member. @param {readonly string[]} way names of members, from the outermost to the innermost; lists are entered */
  function memberAt(type, way) {
    const symbol = checker.getPropertyOfType(
      way.slice(0, -1).reduce((at, name) => objectIn(memberOf(at, name)), objectIn(type)),
      way.at(-1),
    )
    if (!symbol) throw new Error(`${checker.typeToString(type)} has no member ${way.join('.')}`)
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
    return { ...textOf(checker.getTypeOfSymbol(symbol)), isOptional }
  }

  return {
    /** The type that a caller passes for the field at `path` in the exports of a module. */
    argumentType: (module, path) => textOf(argumentTypeOf(module, path)),
    /** The type that a caller receives for a field. */
    resultType: (module, path) => textOf(resultTypeOf(module, path)),
    /** The types that a caller passes and receives for a member of a field. */
    argumentMember: (module, path, way) => memberAt(argumentTypeOf(module, path), way),
    resultMember: (module, path, way) => memberAt(resultTypeOf(module, path), way),
    /** Whether the field can be absent: as an argument or as a part of the result. */
    isOptional(module, path) {
      const mark = memberOf(exported(module, path), '~optional')
      return mark.isUnion() ? false : (mark.flags & ts.TypeFlags.BooleanLiteral) !== 0 && checker.typeToString(mark) === 'true'
    },
  }
}
