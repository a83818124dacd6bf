/** The policies that every service has. */
import type { Level } from './level.ts'
import { BUILT_IN_PREFIX } from './names.ts'
import { RULE_KEYS } from './rule.ts'
import { writeRule } from './write-rule.ts'

export interface BuiltInPolicy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
}

/** The prefix of the IDs that built-in policies and tokens have. */
export const RESERVED_ID_PREFIX = '00000000-0000-0000-0000-0000000000'

/** Rules that grant one level in every field of every resource. */
function onEverything(level: Level): string {
  const rules = [...RULE_KEYS.values()].filter(({ named, match }) => !named || match === 'prefix')
  return rules
    .map(({ key, fields }) => {
      const levels = Object.fromEntries(Object.keys(fields).map((field) => [field, level]))
      return writeRule({ key, name: '', fields: { ...levels, policy: level } })
    })
    .join('')
}

const builtIn = (number: string, Name: string, Description: string, level: Level): BuiltInPolicy =>
  Object.freeze({ ID: `${RESERVED_ID_PREFIX}${number}`, Name, Description, Rules: onEverything(level) })

export const GLOBAL_MANAGEMENT = /* @__PURE__ */ builtIn('01', 'global-management', 'May do everything', 'write')

export const GLOBAL_READ_ONLY = /* @__PURE__ */ builtIn('02', `${BUILT_IN_PREFIX}global-read-only`, 'May read everything', 'read')

export const BUILT_IN_POLICIES: readonly BuiltInPolicy[] = /* @__PURE__ */ Object.freeze([GLOBAL_MANAGEMENT, GLOBAL_READ_ONLY])
