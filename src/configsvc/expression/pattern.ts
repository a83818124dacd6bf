/**
 * Regular expressions in RE2's syntax, unanchored, in linear time. How long one may take is judged before: the time to compile it by what
 * it is made of, the time of a match by its instructions and the characters they meet.
 */
import { RE2JS } from 're2js'
import type { EvaluationBudget } from './evaluation-budget.ts'

/** Weight of all the patterns of an expression. A unit takes up to some 40 microseconds to compile where the code is cold. */
export const MAX_PATTERN_WEIGHT = 1000

/** Weight of a pattern without its parts. */
const BASE_WEIGHT = 8

/** Weight of reading a class of Unicode's, which may be of several hundred ranges, and of each instruction that has it. */
const CLASS_WEIGHT = 64

const CLASS_INSTRUCTION_WEIGHT = 8

/** Characters of a range that weigh one where case does not count: the port looks up each of them. */
const FOLDED_PER_UNIT = 500

/** Weight of a range whose end is an escape, hence any character. */
const UNKNOWN_RANGE_WEIGHT = 250

/** Whether case may not count in a part of a pattern. */
const FOLDING = /\(\?[^):]*i/

/** A pattern forgets what it has met after this many characters: for each of them it may remember some kilobytes. */
const MAX_REMEMBERED_CHARACTERS = 1024

const TOKEN =
  /\\Q(.*?)(?:\\E|$)|(\\[pP](?:\{[^}]*\}|.))|\\x\{[^}]*\}|\\.|(\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|\{(\d+)(?:,(\d*))?\}|./gs

/** At least the number of instructions that a pattern compiles to: what is repeated counts as often as it is. Classes weigh more. */
export function patternWeight(pattern: string): number {
  const folding = FOLDING.test(pattern)
  const around: number[] = []
  let reading = BASE_WEIGHT
  let group = 0
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
        group = around.pop() ?? 0
      } else {
        const classes = (unicode ?? set)?.match(/\\[pP]/g)?.length ?? 0
        atom = literal?.length ?? 1 + classes * CLASS_INSTRUCTION_WEIGHT + (set?.length ?? 0) / 8
        reading += classes * CLASS_WEIGHT + (folding && set !== undefined ? foldingWeight(set) : 0)
      }
    }
  }
  return Math.ceil(around.reduce((sum, weight) => sum + weight, reading + group + atom))
}

/** Of the ranges of a class where case does not count. Each is taken to begin at the first character. */
function foldingWeight(set: string): number {
  let weight = 0
  for (const [, backslash, end = ''] of set.matchAll(/-(\\?)(.)/gsu))
    weight += backslash ? UNKNOWN_RANGE_WEIGHT : (end.codePointAt(0) as number) / FOLDED_PER_UNIT
  return weight
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
  matches(text: string, effort: EvaluationBudget): boolean {
    effort.spend(this.#compiled.programSize() * (text.length + 1))
    this.#met += text.length
    if (this.#met > MAX_REMEMBERED_CHARACTERS) {
      // The port has no other way to forget.
      this.#compiled = RE2JS.compile(this.#source)
      this.#met = text.length
    }
    return this.#compiled.test(text)
  }
}
