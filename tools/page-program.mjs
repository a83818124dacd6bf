// Reads the snippets of a documentation page as programs.
//
// The `ts` blocks of a page are one program, in order. Comments may hold more of it: `before` is setup that the page does not print, `behind` is a
// check of the result. `typescript` blocks are declarations, which have no effect when the program runs. A block marked `ts compiled` is a module of
// its own that is compiled and never run, because it needs a server or an account.
import { fileURLToPath } from 'node:url'

const BLOCK = /^```(ts|typescript|ts compiled)\n([\s\S]*?)^```|^<!-- (before|behind)\n([\s\S]*?)^-->/gm
const IMPORT = /^import [\s\S]*? from '[^']+'\n/gm
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
const FENCE = /^```(.*)\n[\s\S]*?^```/gm

/** The marks that a block may have. Code in any other language would neither be run nor compiled. */
export const FENCES = ['ts', 'typescript', 'ts compiled', 'sh', 'json', 'hcl', 'sql', '']

/**
 * @typedef {{ readonly imports: string, readonly declarations: string, readonly body: string }} Program
 * @typedef {'ts' | 'typescript' | 'ts compiled' | 'before' | 'behind'} PieceKind
 */

/** @param {string} text of the page */
const piecesOf = (text) =>
  [...text.matchAll(BLOCK)].map(([, mark, printed, hiddenMark, hidden]) => ({
    kind: /** @type {PieceKind} */ (mark ?? hiddenMark),
    code: printed ?? hidden ?? '',
  }))

/**
 * @param {string} text of the page
 * @param {readonly PieceKind[]} kinds the pieces that belong to the program
 * @returns {Program | undefined} undefined for a page without code
 */
function programOfKinds(text, kinds) {
  const pieces = piecesOf(text)
  const code = pieces.flatMap((piece) => (kinds.includes(piece.kind) ? [piece.code] : [])).join('\n')
  if (code === '') return undefined
  return {
    imports: [...code.matchAll(IMPORT)].map(([line]) => line).join(''),
    declarations: pieces.flatMap((piece) => (piece.kind === 'typescript' ? [piece.code] : [])).join('\n'),
    body: code.replaceAll(IMPORT, ''),
  }
}

/**
 * The program that runs: everything, hidden checks included.
 * @param {string} text of the page
 */
export const programOf = (text) => programOfKinds(text, ['before', 'ts', 'behind'])

/**
 * The modules that must compile: the page as it is printed, and each block that stands alone. Hidden setup is part of it; hidden checks are not, so no
 * snippet can depend on one.
 * @param {string} text of the page
 * @returns {string[]}
 */
export function modulesOf(text) {
  const page = programOfKinds(text, ['before', 'ts'])
  const alone = piecesOf(text).flatMap(({ kind, code }) => (kind === 'ts compiled' ? [code] : []))
  return [...(page ? [`${page.imports}\n${page.declarations}\n${page.body}`] : []), ...alone].map(
    (code) => `${code}\nexport {}\n`,
  )
}

/**
 * @param {string} text of the page
 * @returns {boolean} whether a snippet needs setup that the page does not print
 */
export const hasHiddenSetup = (text) => piecesOf(text).some(({ kind }) => kind === 'before')

/**
 * @param {string} text of the page
 * @returns {string[]} the marks of its blocks
 */
export const fencesOf = (text) => [...text.matchAll(FENCE)].map(([, mark]) => mark ?? '')

/**
 * Snippets for contributors are printed as they stand in a test file, so `../fixtures` is a folder of `test`; hidden setup names files from the root.
 * @param {string} page its path in the repository
 * @param {string} code
 */
export const withAbsoluteImports = (page, code) =>
  code.replaceAll(/(from ')\.\.\//g, `$1${REPOSITORY}${page.includes('contributing/') ? 'test/' : ''}`)
