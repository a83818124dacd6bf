/**
 * What an endpoint's path says about the answers: `/CreateUser.AccessDenied/paged`, a part each.
 */
import type { Answer } from './answer.ts'
import type { Met } from './trouble.ts'

export interface Bends {
  /** Things a page at most. */
  readonly most: number
  /** What becomes of a call of this action. */
  met(action: string): Met | undefined
  /** The answer as it is sent. */
  bent(action: string, answer: Answer): Answer
}

const refused = (code: string): Met => ({ manner: 'refuses', code, when: 'before' })

const lost = (when: Met['when']): Met => ({ manner: 'loses', code: '', when })

const MANNERS: Readonly<Record<string, Met | undefined>> = {
  drop: lost('before'),
  lost: lost('after'),
  garbage: { manner: 'garbles', code: '', when: 'after' },
  hang: { manner: 'hangs', code: '', when: 'before' },
  OtherId: undefined,
  OtherName: undefined,
}

/** Other answers of GetUser. */
const OTHER: Readonly<Record<string, (user: Answer) => Answer>> = {
  OtherId: (user) => ({ ...user, UserId: 'AIDAOTHEROTHEROTHEROT' }),
  OtherName: (user) => ({ ...user, UserName: `${String(user['UserName'])}x` }),
}

/** @param path Of the endpoint's URL. */
export function bendsOf(path: string): Bends {
  const parts = path.split('/').filter((part) => part !== '')
  const saidOf = (action: string): string[] =>
    parts.filter((part) => part.startsWith(`${action}.`)).map((part) => part.slice(action.length + 1))
  return {
    most: parts.includes('paged') ? 1 : Number.POSITIVE_INFINITY,
    met(action) {
      for (const said of saidOf(action)) {
        const found = Object.hasOwn(MANNERS, said) ? MANNERS[said] : refused(said)
        if (found) return found
      }
      return undefined
    },
    bent(action, answer) {
      let user = answer['User'] as Answer | undefined
      if (!user) return answer
      for (const said of saidOf(action)) if (Object.hasOwn(OTHER, said)) user = OTHER[said]?.(user) ?? user
      return { ...answer, User: user }
    },
  }
}
