// Finds the definitions of operations in the sources. It parses only the files that lead to a definition, so it takes about a second.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript-5'

/**
 * @typedef {object} Definition of a member of an object
 * @property {readonly ts.Node[]} places where its doc comment can be, from the record of a facade to the definition
 * @property {ts.Expression} expression that defines its value
 */

/** The property of a builder's argument that describes the operations: `summaries: { create: 'Creates a policy.', ... }`. */
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
    const { expression } = names.reduce((value, member) => this.#memberOf(value.expression, member), this.#valueOf(start))
    return new Map([...this.#membersOf(expression)].map(([member, define]) => [member, define()]))
  }

  /**
   * The members of the object that an expression evaluates to.
   * @returns {ReadonlyMap<string, () => Definition>} Functions, because most of the members of an engine need not be found.
   */
  #membersOf(expression) {
    const value = unwrapped(expression)
    if (ts.isObjectLiteralExpression(value)) return new Map(value.properties.flatMap((property) => this.#membersIn(property)))
    if (ts.isCallExpression(value)) return this.#made(value)
    const declaration = ts.isIdentifier(value) ? this.#declarationOf(value.text, value) : undefined
    if (declaration?.dotDotDotToken) return this.#restOf(declaration)
    const { expression: defined } = this.#follow(value)
    if (defined === value) throw new Error(`${fileOf(value)}: cannot find the object that is named ${value.getText()}`)
    return this.#membersOf(defined)
  }

  #memberOf(expression, name) {
    const define = this.#membersOf(expression).get(name)
    if (!define) throw new Error(`${fileOf(expression)}: ${expression.getText()} has no member ${name}`)
    return define()
  }

  #membersIn(property) {
    if (ts.isSpreadAssignment(property)) return [...this.#membersOf(property.expression)]
    const name = property.name?.text
    if (name === undefined) return []
    const value = ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer
    const define = () => {
      const { places, expression } = value ? this.#follow(value) : { places: [], expression: property }
      return { places: [property, ...places], expression }
    }
    return [[name, define]]
  }

  /** The members of the object that a builder returns. */
  #made(call) {
    const builder = this.#follow(call.expression).expression
    const members = this.#membersOf(returnedBy(builder))
    const argument = call.arguments.find(ts.isObjectLiteralExpression)
    const summaries = argument?.properties.find(({ name }) => name?.text === SUMMARIES)
    if (!summaries) return members
    const described = this.#membersOf(summaries.initializer)
    const withSummary = (name, { places, expression }) => ({
      places: [...(described.get(name)?.().places ?? []), ...places],
      expression,
    })
    return new Map([...members].map(([name, define]) => [name, () => withSummary(name, define())]))
  }

  /** The definition of a value. Names and members are followed to what they stand for. */
  #follow(expression) {
    const value = unwrapped(expression)
    if (ts.isPropertyAccessExpression(value)) return this.#memberOf(value.expression, value.name.text)
    const declaration = ts.isIdentifier(value) ? this.#declarationOf(value.text, value) : undefined
    return declaration ? this.#valueOf(declaration) : { places: [], expression: value }
  }

  /** The definition of a declared name. */
  #valueOf(declaration) {
    if (ts.isBindingElement(declaration)) {
      const { propertyName, name, parent } = declaration
      return this.#memberOf(parent.parent.initializer, (propertyName ?? name).text)
    }
    if (!ts.isVariableDeclaration(declaration)) return { places: [], expression: declaration }
    const { places, expression } = this.#follow(declaration.initializer)
    return { places: [declaration.parent.parent, ...places], expression }
  }

  /** The members that remain for `...rest` in a destructuring assignment. */
  #restOf({ parent: pattern }) {
    const taken = new Set(pattern.elements.map(({ propertyName, name }) => (propertyName ?? name).text))
    return new Map([...this.#membersOf(pattern.parent.initializer)].filter(([name]) => !taken.has(name)))
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
    return imported && this.#exported(namedBy(statement), (imported.propertyName ?? imported.name).text)
  }

  /** The declaration of an export. */
  #exported(path, name) {
    const file = this.#file(path)
    for (const statement of file.statements) {
      if (!ts.isExportDeclaration(statement)) continue
      const exported = statement.exportClause?.elements?.find((element) => element.name.text === name)
      if (!exported) continue
      const own = (exported.propertyName ?? exported.name).text
      return statement.moduleSpecifier ? this.#exported(namedBy(statement), own) : this.#declarationOf(own, file.endOfFileToken)
    }
    const own = this.#declarationOf(name, file.endOfFileToken)
    if (!own) throw new Error(`${path} has no export ${name}`)
    return own
  }

  #file(path) {
    const known = this.#files.get(path)
    if (known) return known
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true)
    this.#files.set(path, file)
    return file
  }
}

const fileOf = (node) => node.getSourceFile().fileName

/** The file that an import or export names. */
const namedBy = (statement) => posix.join(posix.dirname(fileOf(statement)), statement.moduleSpecifier.text)

/** The expression that a function returns. */
function returnedBy(builder) {
  const { body } = builder
  const returned = body && ts.isBlock(body) ? body.statements.find(ts.isReturnStatement)?.expression : body
  if (!returned) throw new Error(`${fileOf(builder)}: cannot find the object that a function returns`)
  return returned
}

function unwrapped(expression) {
  const isWrapper =
    ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression) || ts.isParenthesizedExpression(expression)
  return isWrapper ? unwrapped(expression.expression) : expression
}
