/** Parses tokens into a syntax tree. The grammar is that of Go's text/template without `range`, `define`, `template` and `block`. */
import type { KernelError } from '../base/errors.ts'
import { TokenCursor } from './cursor.ts'
import { MAX_BLOCK_DEPTH } from './limits.ts'
import type { NameTemplateBranch, NameTemplateNode } from './nodes.ts'
import { type NamedPipeline, Pipelines, slotOfVariable } from './pipelines.ts'
import type { NameTemplatePiece } from './tokens.ts'

type Refuse = (rule: string) => KernelError

export interface ParsedTemplate {
  readonly nodes: readonly NameTemplateNode[]
  /** The maximum number of variables that exist at the same time. */
  readonly slots: number
  readonly named: NamedPipeline
}

/** @throws KernelError 400 */
export function parsePieces(pieces: readonly NameTemplatePiece[], refuse: Refuse): ParsedTemplate {
  const blocks = new Blocks(pieces, refuse)
  return { nodes: blocks.parse(), slots: blocks.slots, named: blocks.named }
}

const WITHOUT = ['range', 'break', 'continue', 'define', 'template', 'block', 'nil']

/** The keyword at which a list of nodes ends. */
type End = { readonly word: 'end' } | { readonly word: 'else'; readonly rest: TokenCursor } | undefined

class Blocks {
  readonly #pieces: readonly NameTemplatePiece[]
  readonly #refuse: Refuse
  /** The names of the variables that exist at this point. The index of a name is the slot of the variable. */
  readonly #scope: string[] = []
  readonly named: NamedPipeline = { fields: new Set(), functions: new Set() }
  #at = 0
  #depth = 0
  slots = 0

  constructor(pieces: readonly NameTemplatePiece[], refuse: Refuse) {
    this.#pieces = pieces
    this.#refuse = refuse
  }

  parse(): readonly NameTemplateNode[] {
    const [nodes, end] = this.#nodes()
    if (end) throw this.#refuse(`${end.word} without a matching "if" or "with"`)
    return nodes
  }

  #nodes(): readonly [readonly NameTemplateNode[], End] {
    const nodes: NameTemplateNode[] = []
    for (let piece = this.#pieces[this.#at++]; piece; piece = this.#pieces[this.#at++]) {
      if ('text' in piece) {
        nodes.push({ kind: 'text', text: piece.text })
        continue
      }
      const cursor = new TokenCursor(piece.tokens, this.#refuse)
      const word = cursor.word
      if (word !== undefined && WITHOUT.includes(word)) throw this.#refuse(`${word} is not supported`)
      if (word === 'end') {
        cursor.next()
        cursor.finish()
        return [nodes, { word }]
      }
      if (word === 'else') {
        cursor.next()
        return [nodes, { word, rest: cursor }]
      }
      nodes.push(word === 'if' || word === 'with' ? this.#branch(cursor) : this.#action(cursor))
    }
    return [nodes, undefined]
  }

  /** Parses a block from its keyword to the matching `end`. */
  #branch(cursor: TokenCursor): NameTemplateBranch {
    if (++this.#depth > MAX_BLOCK_DEPTH) throw this.#refuse(`blocks can be nested at most ${MAX_BLOCK_DEPTH} levels deep`)
    const outer = this.#scope.length
    const moves = cursor.word === 'with'
    cursor.next()
    const declared = cursor.declaration()
    const on = new Pipelines(cursor, this.#scope, this.#refuse, this.named).whole()
    const slot = declared === undefined ? undefined : this.#declare(declared)
    const [then, end] = this.#nodes()
    if (!end) throw this.#refuse('an if or with has no end')
    const otherwise = end.word === 'else' ? this.#otherwise(end.rest) : []
    this.#scope.length = outer
    this.#depth--
    return { kind: 'branch', on, slot, moves, then, otherwise }
  }

  #otherwise(rest: TokenCursor): readonly NameTemplateNode[] {
    if (rest.word === 'if' || rest.word === 'with') return [this.#branch(rest)]
    rest.finish()
    const [nodes, end] = this.#nodes()
    if (end?.word !== 'end') throw this.#refuse(end ? 'a block has a second else' : 'an else has no end')
    return nodes
  }

  #action(cursor: TokenCursor): NameTemplateNode {
    const changed = cursor.assignment()
    const declared = cursor.declaration()
    const value = new Pipelines(cursor, this.#scope, this.#refuse, this.named).whole()
    if (declared !== undefined) return { kind: 'set', slot: this.#declare(declared), value }
    if (changed === undefined) return { kind: 'print', value }
    return { kind: 'set', slot: slotOfVariable(this.#scope, changed, this.#refuse), value }
  }

  #declare(name: string): number {
    this.slots = Math.max(this.slots, this.#scope.push(name))
    return this.#scope.length - 1
  }
}
