// Reads the examples for doc comments from test/docs/method-examples.ts, which also runs them.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript-5'

/** @returns {ReadonlyMap<string, string>} The code of the examples by method, such as `transit.encrypt`. */
export function methodExamples(root) {
  const path = posix.join(root, 'test/docs/method-examples.ts')
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true)
  const examples = new Map()
  const visit = (node) => {
    const name = ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name) ? node.name.text : undefined
    if (name === undefined || !ts.isCallExpression(node.initializer)) return ts.forEachChild(node, visit)
    // Show only the body of the last function, without its assertions. Earlier arguments prepare the test.
    const shown = node.initializer.arguments.at(-1)
    const statements = shown.body.statements
      .map((statement) => statement.getFullText(source))
      .filter((text) => !/^(?:await )?expect\(/.test(text.trim()))
    examples.set(name, unindented(statements.join('')))
    return undefined
  }
  visit(source)
  return examples
}

function unindented(text) {
  const lines = text.split('\n').filter((line, index, all) => line.trim() !== '' || (index > 0 && index < all.length - 1))
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(indent)).join('\n')
}
