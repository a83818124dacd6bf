/**
 * Regular expressions in RE2's syntax, unanchored, in linear time. How long one may take is judged before: the time to compile it by what
 * it is made of, the time of a match by its instructions and the characters they meet.
 */
import { RE2JS } from 're2js'
import type { Effort } from './effort.ts'

/** Weight of all the patterns of an expression; one unit is about a microsecond of compiling where the code is cold. */
export const HEAVIEST_PATTERNS = 1000

/** Weight of a pattern without its parts. */
const BASE_WEIGHT = 8

/** Weight of a class of Unicode's, which may be of several hundred ranges. */
const CLASS_WEIGHT = 32

/** A pattern forgets what it has met after this many characters: for each of them it may remember some kilobytes. */
const REMEMBERED_CHARACTERS = 1024

const TOKEN =
  /\\Q(.*?)(?:\\E|$)|(\\[pP](?:\{[^}]*\}|.))|\\x\{[^}]*\}|\\.|(\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|\{(\d+)(?:,(\d*))?\}|./gs

/**
 * At least the number of instructions that a pattern compiles to, and more for classes: what is repeated weighs as often as it is.
 */
export function weigh(pattern: string): number {
  const around: number[] = []
  let group = BASE_WEIGHT
  let atom = 0
  for (const [token, literal, unicode, set, least, most] of pattern.matchAll(TOKEN)) {
    // A count behind a star is refused by the port, so nothing is repeated twice here.
    if (least !== undefined) atom = (atom + 1) * Math.max(Number(least), Number(most ?? 0), 1)
    else if (token === '*' || token === '+' || token === '?') atom++
    else {
      group += atom
      if (token === '(') {
        around.push(group)
        group = 2
        atom = 0
      } else if (token === ')') {
        atom = group
        group = around.pop() ?? BASE_WEIGHT
      } else atom = weightOf(literal, unicode, set)
    }
  }
  return Math.ceil(around.reduce((sum, weight) => sum + weight, group + atom))
}

function weightOf(literal: string | undefined, unicode: string | undefined, set: string | undefined): number {
  if (literal !== undefined) return literal.length
  if (unicode !== undefined) return CLASS_WEIGHT
  return set === undefined ? 1 : 1 + set.length / 8 + (set.match(/\\[pP]/g)?.length ?? 0) * CLASS_WEIGHT
}

export class Pattern {
  readonly #source: string
  #compiled: RE2JS
  #met = 0

  /** @throws what the port throws, for a pattern that is none */
  constructor(source: string) {
    this.#source = source
    this.#compiled = RE2JS.compile(source)
  }

  /** Whether a part of the text is as the pattern says. */
  matches(text: string, effort: Effort): boolean {
    effort.spend(this.#compiled.programSize() * (text.length + 1))
    this.#met += text.length
    if (this.#met > REMEMBERED_CHARACTERS) {
      // The port has no other way to forget.
      this.#compiled = RE2JS.compile(this.#source)
      this.#met = text.length
    }
    return this.#compiled.test(text)
  }
}
