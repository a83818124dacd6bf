/**
 * What an endpoint's path says about the answers: `/CreateUser.AccessDenied/paged`, a part each.
 */
import type { ActionAnswer } from './answer.ts'
import type { MetTrouble } from './trouble.ts'

export interface EndpointBehavior {
  /** Things a page at most. */
  readonly pageLimit: number
  /** What becomes of a call of this action. */
  troubleFor(action: string): MetTrouble | undefined
  /** The answer as it is sent. */
  modifyAnswer(action: string, answer: ActionAnswer): ActionAnswer
}

const refusal = (code: string): MetTrouble => ({ manner: 'refuses', code, when: 'before' })

const lostAnswer = (when: MetTrouble['when']): MetTrouble => ({ manner: 'loses', code: '', when })

const NAMED_TROUBLE: Readonly<Record<string, MetTrouble | undefined>> = {
  drop: lostAnswer('before'),
  lost: lostAnswer('after'),
  garbage: { manner: 'garbles', code: '', when: 'after' },
  hang: { manner: 'hangs', code: '', when: 'before' },
  OtherId: undefined,
  OtherName: undefined,
}

/** Other answers of GetUser. */
const USER_CHANGES: Readonly<Record<string, (user: ActionAnswer) => ActionAnswer>> = {
  OtherId: (user) => ({ ...user, UserId: 'AIDAOTHEROTHEROTHEROT' }),
  OtherName: (user) => ({ ...user, UserName: `${String(user['UserName'])}x` }),
}

/** @param path Of the endpoint's URL. */
export function endpointBehavior(path: string): EndpointBehavior {
  const parts = path.split('/').filter((part) => part !== '')
  const saidOf = (action: string): string[] =>
    parts.filter((part) => part.startsWith(`${action}.`)).map((part) => part.slice(action.length + 1))
  return {
    pageLimit: parts.includes('paged') ? 1 : Number.POSITIVE_INFINITY,
    troubleFor(action) {
      for (const said of saidOf(action)) {
        const found = Object.hasOwn(NAMED_TROUBLE, said) ? NAMED_TROUBLE[said] : refusal(said)
        if (found) return found
      }
      return undefined
    },
    modifyAnswer(action, answer) {
      let user = answer['User'] as ActionAnswer | undefined
      if (!user) return answer
      for (const said of saidOf(action)) if (Object.hasOwn(USER_CHANGES, said)) user = USER_CHANGES[said]?.(user) ?? user
      return { ...answer, User: user }
    },
  }
}
