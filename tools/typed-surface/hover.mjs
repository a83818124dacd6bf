// What an editor would show of a surface: every member of it, of what its methods take and of what they answer, with its documentation.
import ts from 'typescript-5'

/**
 * @typedef {object} Member
 * @property {string} path such as `kernel.transit.encrypt().ciphertext`
 * @property {string} documentation
 * @property {boolean} loose `any` or `unknown`, or a container of it
 */

/**
 * @param {string} entry a module with `declare const`s, whose members are looked at; may be text of a file that is not there
 * @param {string} text
 * @param {ts.CompilerOptions} options
 * @param {(file: string) => boolean} isOurs whether a type that a file declares is looked into
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
