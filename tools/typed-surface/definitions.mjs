// Finds the definitions of operations in the sources, by reading them: the sources are not compiled, so this takes about a second.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript-5'

/**
 * @typedef {object} Definition of a member of an object
 * @property {readonly ts.Node[]} places where its doc comment can be, from the record of a facade to the definition
 * @property {ts.Expression} expression that defines its value
 */

/** The operations of a builder's caller are described by this property of the builder's argument: `{ create: 'Creates a policy.', ... }`. */
const SUMMARIES = 'summaries'

export class Definitions {
  #root
  #files = new Map()

  /** @param {string} root of the project */
  constructor(root) {
    this.#root = root
  }

  /**
   * @param {string} module below `src/`
   * @param {string} path of an object in the exports of the module, such as `kv.operations`
   * @returns {ReadonlyMap<string, Definition>} The members of the object.
   */
  membersAt(module, path) {
    const [name, ...names] = path.split('.')
    const start = this.#exported(posix.join(this.#root, 'src', module), name)
    const { expression } = names.reduce((value, member) => this.membersOf(value.expression).get(member), this.#valueOf(start))
    return this.membersOf(expression)
  }

  /** The members of the object that an expression evaluates to. @returns {ReadonlyMap<string, Definition>} */
  membersOf(expression) {
    const value = unwrapped(expression)
    if (ts.isObjectLiteralExpression(value)) return new Map(value.properties.flatMap((property) => this.#membersIn(property)))
    if (ts.isCallExpression(value)) return this.#made(value)
    const declaration = ts.isIdentifier(value) ? this.#declarationOf(value.text, value) : undefined
    if (declaration?.dotDotDotToken) return this.#restOf(declaration)
    return this.membersOf((declaration ? this.#valueOf(declaration) : this.#follow(value)).expression)
  }

  #membersIn(property) {
    if (ts.isSpreadAssignment(property)) return [...this.membersOf(property.expression)]
    const name = property.name?.text
    if (name === undefined) return []
    const value = ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer
    const { places, expression } = value ? this.#follow(value) : { places: [], expression: property }
    return [[name, { places: [property, ...places], expression }]]
  }

  /** The members of the object that a builder returns. */
  #made(call) {
    const builder = this.#follow(call.expression).expression
    const members = this.membersOf(returnedBy(builder))
    const argument = call.arguments.find(ts.isObjectLiteralExpression)
    const summaries = argument?.properties.find(({ name }) => name?.text === SUMMARIES)
    if (!summaries) return members
    const described = new Map(this.membersOf(summaries.initializer))
    return new Map(
      [...members].map(([name, { places, expression }]) => [
        name,
        { places: [...(described.get(name)?.places ?? []), ...places], expression },
      ]),
    )
  }

  /** The definition of a value. Names and members are followed to what they stand for. */
  #follow(expression) {
    const value = unwrapped(expression)
    if (ts.isPropertyAccessExpression(value)) return this.membersOf(value.expression).get(value.name.text)
    const declaration = ts.isIdentifier(value) ? this.#declarationOf(value.text, value) : undefined
    return declaration ? this.#valueOf(declaration) : { places: [], expression: value }
  }

  /** The definition of a declared name. */
  #valueOf(declaration) {
    if (ts.isBindingElement(declaration)) {
      const { propertyName, name, parent } = declaration
      return this.membersOf(parent.parent.initializer).get((propertyName ?? name).text)
    }
    if (!ts.isVariableDeclaration(declaration)) return { places: [], expression: declaration }
    const { places, expression } = this.#follow(declaration.initializer)
    return { places: [declaration.parent.parent, ...places], expression }
  }

  /** The members that remain for `...rest` in a destructuring assignment. */
  #restOf({ parent: pattern }) {
    const taken = new Set(pattern.elements.map(({ propertyName, name }) => (propertyName ?? name).text))
    return new Map([...this.membersOf(pattern.parent.initializer)].filter(([name]) => !taken.has(name)))
  }

  /** The declaration of a name that is used at `node`. */
  #declarationOf(name, node) {
    for (let scope = node.parent; scope; scope = scope.parent)
      if (ts.isBlock(scope) || ts.isSourceFile(scope))
        for (const statement of scope.statements) {
          const found = this.#declaredIn(statement, name)
          if (found) return found
        }
    return undefined
  }

  #declaredIn(statement, name) {
    if (ts.isFunctionDeclaration(statement)) return statement.name?.text === name ? statement : undefined
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations
        .flatMap((declaration) => (ts.isObjectBindingPattern(declaration.name) ? [...declaration.name.elements] : [declaration]))
        .find((declaration) => declaration.name.text === name)
    if (!ts.isImportDeclaration(statement)) return undefined
    const imported = statement.importClause?.namedBindings?.elements?.find((element) => element.name.text === name)
    return imported && this.#exported(fileOf(statement), (imported.propertyName ?? imported.name).text)
  }

  /** The declaration of an export. */
  #exported(path, name) {
    const file = this.#file(path)
    for (const statement of file.statements) {
      if (!ts.isExportDeclaration(statement)) continue
      const exported = statement.exportClause?.elements?.find((element) => element.name.text === name)
      if (!exported) continue
      const own = (exported.propertyName ?? exported.name).text
      return statement.moduleSpecifier ? this.#exported(fileOf(statement), own) : this.#declarationOf(own, file.endOfFileToken)
    }
    return this.#declarationOf(name, file.endOfFileToken)
  }

  #file(path) {
    const known = this.#files.get(path)
    if (known) return known
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true)
    this.#files.set(path, file)
    return file
  }
}

/** The file that an import or export names. */
const fileOf = (statement) => posix.join(posix.dirname(statement.getSourceFile().fileName), statement.moduleSpecifier.text)

/** The expression that a function returns. */
function returnedBy({ body }) {
  return ts.isBlock(body) ? body.statements.find(ts.isReturnStatement).expression : body
}

function unwrapped(expression) {
  const isWrapper =
    ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression) || ts.isParenthesizedExpression(expression)
  return isWrapper ? unwrapped(expression.expression) : expression
}
