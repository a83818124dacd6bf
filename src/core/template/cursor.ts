/** Reads the tokens of an action one after the other. */
import type { KernelError } from '../base/errors.ts'
import type { NameTemplateToken } from './tokens.ts'

export class TokenCursor {
  readonly #tokens: readonly NameTemplateToken[]
  readonly #refuse: (rule: string) => KernelError
  #at = 0

  constructor(tokens: readonly NameTemplateToken[], refuse: (rule: string) => KernelError) {
    this.#tokens = tokens
    this.#refuse = refuse
  }

  get token(): NameTemplateToken | undefined {
    return this.#tokens[this.#at]
  }

  /** The text of the next token if the token is a word; otherwise undefined. */
  get word(): string | undefined {
    return this.token?.kind === 'word' ? this.token.text : undefined
  }

  next(): NameTemplateToken | undefined {
    return this.#tokens[this.#at++]
  }

  isMark(text: string): boolean {
    return this.token?.kind === 'mark' && this.token.text === text
  }

  /** If the next tokens are a variable and `:=`, reads them and returns the name of the variable. */
  declaration(): string | undefined {
    return this.#target(':=')
  }

  /** If the next tokens are a variable and `=`, reads them and returns the name of the variable. */
  assignment(): string | undefined {
    return this.#target('=')
  }

  #target(sign: string): string | undefined {
    const [name, mark] = [this.token, this.#tokens[this.#at + 1]]
    if (name?.kind !== 'variable' || mark?.kind !== 'mark' || mark.text !== sign) return undefined
    this.#at += 2
    return name.text
  }

  finish(): void {
    if (this.token) throw this.#refuse('an action has unexpected text at its end')
  }
}
