// Lists what an editor shows for typed objects: every member of the objects, of the arguments of their methods and of the results, with its
// documentation.
import ts from 'typescript-5'

/**
 * @typedef {object} Member
 * @property {string} path such as `kernel.transit.encrypt().ciphertext`
 * @property {string} documentation
 * @property {boolean} loose whether its type is `any` or `unknown`, or contains one of them
 */

/**
 * @param {string} entry the path of a module with `declare const`s, whose members are listed; the file need not exist
 * @param {string} text the content of that module
 * @param {ts.CompilerOptions} options
 * @param {(file: string) => boolean} isOurs whether the members of types that a file declares are listed
 * @returns {readonly Member[]}
 */
export function membersShown(entry, text, options, isOurs) {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === entry ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true) : getSourceFile(name, ...rest)
  host.fileExists = (name) => name === entry || fileExists(name)
  host.readFile = (name) => (name === entry ? text : readFile(name))
  const program = ts.createProgram([entry], options, host)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const members = []
  const seen = new Set()

  function look(type, path) {
    if (type.isUnionOrIntersection()) {
      if (type.isIntersection()) properties(type, path)
      else for (const part of type.types) look(part, path)
      return
    }
    if (seen.has(type)) return
    seen.add(type)
    for (const argument of checker.getTypeArguments(type).concat(type.aliasTypeArguments ?? [])) look(argument, path)
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    if (index) look(index, `${path}[]`)
    for (const signature of type.getCallSignatures()) call(signature, path)
    properties(type, path)
  }

  function properties(type, path) {
    for (const symbol of checker.getPropertiesOfType(type)) {
      const declaration = symbol.declarations?.[0]
      if (!declaration || !isOurs(declaration.getSourceFile().fileName) || isHidden(declaration)) continue
      const own = checker.getTypeOfSymbol(symbol)
      const place = `${path}.${symbol.name}`
      if (!seen.has(declaration)) {
        seen.add(declaration)
        const documentation = ts.displayPartsToString(symbol.getDocumentationComment(checker))
        members.push({ path: place, documentation, loose: isLoose(own) })
      }
      look(own, place)
    }
  }

  function call(signature, path) {
    for (const parameter of signature.parameters) look(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
    const answer = signature.getReturnType()
    look(checker.getAwaitedType(answer) ?? answer, `${path}()`)
  }

  function isLoose(type) {
    if (type.flags & ts.TypeFlags.AnyOrUnknown) return true
    if (type.isUnion()) return type.types.some(isLoose)
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    return index !== undefined && isLoose(index)
  }

  const isHidden = (declaration) =>
    (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0 ||
    ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal') ||
    (declaration.name && ts.isPrivateIdentifier(declaration.name)) ||
    (declaration.name && ts.isComputedPropertyName(declaration.name))

  for (const statement of source.statements)
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) look(checker.getTypeAtLocation(name), name.text)
  return members
}
