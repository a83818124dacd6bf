/**
 * What clusters tell each other, read from messages.
 */
import type { Epoch, History } from '../state/history.ts'
import { indexIn, listOf, type Message, objectOf, textOf } from './judged.ts'

/** More promotions than anybody makes; an epoch takes about a hundred bytes. */
const MOST_EPOCHS = 10_000

export function historyIn(message: Message, name = 'history'): History {
  return listOf(message, name, MOST_EPOCHS).map((item): Epoch => {
    const one = objectOf(item, name)
    const epoch = { epoch: indexIn(one, 'epoch'), origin: textOf(one, 'origin', 64), start: indexIn(one, 'start') }
    return one['rebase'] === true ? { ...epoch, rebase: true } : epoch
  })
}

/** Histories as messages carry them. */
export const plainHistory = (history: History): readonly object[] => history.map((epoch) => ({ ...epoch }))
