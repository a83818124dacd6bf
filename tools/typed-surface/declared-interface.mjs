// The generated interfaces of arguments and results. Facades of the same room share interfaces that have the same members.
import { choiceType } from './choices.mjs'
import { docComment } from './doc-comment.mjs'

/**
 * An interface with a doc comment.
 * @param {string} name
 * @param {string} comment
 * @param {readonly string[]} lines the declarations of its members
 */
export const block = (name, comment, lines) => `${docComment([comment])}export interface ${name} {\n${lines.join('\n')}}\n`

/**
 * @typedef {object} DeclaredInterface
 * @property {string} name
 * @property {string} what the beginning of its doc comment, such as `The arguments of`
 * @property {string[]} methods the methods that use it, such as `transit.encrypt`
 * @property {readonly string[]} lines the declarations of its members
 * @property {readonly import('./choices.mjs').Choice[]} [choices] rules about several members
 * @property {string} [base] the name of the interface that it extends
 */

/** @param {DeclaredInterface} declared */
export function interfaceText({ name, what, methods, lines, choices, base }) {
  const comment = `${what} ${methods.map((method) => `\`${method}\``).join(' and ')}.`
  if (!choices) return block(base ? `${name} extends ${base}` : name, comment, lines)
  const plain = `${name}Members`
  return `${block(plain, comment, lines)}\n${docComment([comment])}${choiceType(name, plain, choices)}`
}

/**
 * The members of an interface that are not in `base`; undefined if `base` has members that the interface does not have.
 * @param {readonly string[]} lines
 * @param {readonly string[]} base
 */
export function linesBeyond(lines, base) {
  return base.every((line) => lines.includes(line)) ? lines.filter((line) => !base.includes(line)) : undefined
}
