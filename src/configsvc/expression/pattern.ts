/**
 * Unanchored regular expressions in RE2 syntax, which run in linear time. Their cost is bounded in advance: the weight of the pattern
 * limits the cost of compilation, and the numbers of instructions and characters limit the cost of a match.
 */
import { RE2JS } from 're2js'
import type { EvaluationBudget } from './evaluation-budget.ts'

/** The maximum weight of all patterns in one expression together. A unit takes up to about 40 microseconds to compile in cold code. */
export const MAX_PATTERN_WEIGHT = 1000

/** The weight of an empty pattern. */
const BASE_WEIGHT = 8

/**
 * The weight of parsing a Unicode class, which may have several hundred ranges, and the weight of each instruction that contains such a
 * class.
 */
const CLASS_WEIGHT = 64

const CLASS_INSTRUCTION_WEIGHT = 8

/** If case is ignored, the library looks up each character of a range. This many characters have the weight 1. */
const FOLDED_PER_UNIT = 500

/** The weight of a range that ends with an escape, which may stand for any character. */
const UNKNOWN_RANGE_WEIGHT = 250

/** Matches a pattern that contains a flag for ignoring case, such as `(?i)`. */
const FOLDING = /\(\?[^):]*i/

/**
 * The compiled pattern caches some kilobytes for each distinct character that it has matched, so it is replaced after this many characters.
 */
const MAX_REMEMBERED_CHARACTERS = 1024

const TOKEN =
  /\\Q(.*?)(?:\\E|$)|(\\[pP](?:\{[^}]*\}|.))|\\x\{[^}]*\}|\\.|(\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|\{(\d+)(?:,(\d*))?\}|./gs

/**
 * An upper bound for the number of instructions of the compiled pattern. A repeated part counts once per repetition. Classes weigh more.
 */
export function patternWeight(pattern: string): number {
  const folding = FOLDING.test(pattern)
  const around: number[] = []
  let reading = BASE_WEIGHT
  let group = 0
  let atom = 0
  for (const [token, literal, unicode, set, least, most] of pattern.matchAll(TOKEN)) {
    // The library refuses a repetition count after a star, so multiplying once is enough here.
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

/** The weight of a class if case is ignored. Assumes that every range begins at the first character. */
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

  /** @throws the library's error for an invalid pattern */
  constructor(source: string) {
    this.#source = source
    this.#compiled = RE2JS.compile(source)
  }

  /** Whether any part of the string matches. */
  matches(text: string, effort: EvaluationBudget): boolean {
    effort.spend(this.#compiled.programSize() * (text.length + 1))
    this.#met += text.length
    if (this.#met > MAX_REMEMBERED_CHARACTERS) {
      // Replacing the pattern is the only way to empty the library's cache.
      this.#compiled = RE2JS.compile(this.#source)
      this.#met = text.length
    }
    return this.#compiled.test(text)
  }
}
