/**
 * Endpoints of the fake cloud. The path of an endpoint's URL changes how actions behave. Each segment is one rule: with the path
 * `/CreateUser.AccessDenied/paged`, CreateUser fails with AccessDenied and every list has one item per page.
 */
import type { ActionAnswer } from './answer.ts'
import type { MetTrouble } from './trouble.ts'

export interface EndpointBehavior {
  /** The maximum number of items on a page. */
  readonly pageLimit: number
  /** Returns the failure that the path requires for calls of this action, if any. */
  troubleFor(action: string): MetTrouble | undefined
  /** Returns the answer of an action, with the changes that the path requires. */
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

/** Rules that change the answer of GetUser, such as `GetUser.OtherId`. */
const USER_CHANGES: Readonly<Record<string, (user: ActionAnswer) => ActionAnswer>> = {
  OtherId: (user) => ({ ...user, UserId: 'AIDAOTHEROTHEROTHEROT' }),
  OtherName: (user) => ({ ...user, UserName: `${String(user['UserName'])}x` }),
}

/** @param path The path of the endpoint's URL. */
export function endpointBehavior(path: string): EndpointBehavior {
  const parts = path.split('/').filter((part) => part !== '')
  const instructionsFor = (action: string): string[] =>
    parts.filter((part) => part.startsWith(`${action}.`)).map((part) => part.slice(action.length + 1))
  return {
    pageLimit: parts.includes('paged') ? 1 : Number.POSITIVE_INFINITY,
    troubleFor(action) {
      for (const instruction of instructionsFor(action)) {
        const found = Object.hasOwn(NAMED_TROUBLE, instruction) ? NAMED_TROUBLE[instruction] : refusal(instruction)
        if (found) return found
      }
      return undefined
    },
    modifyAnswer(action, answer) {
      let user = answer['User'] as ActionAnswer | undefined
      if (!user) return answer
      for (const instruction of instructionsFor(action))
        if (Object.hasOwn(USER_CHANGES, instruction)) user = USER_CHANGES[instruction]?.(user) ?? user
      return { ...answer, User: user }
    },
  }
}
