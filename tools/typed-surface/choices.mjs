// Rules that concern several members of a method's arguments. A call that breaks one of these rules is always refused, so the generated type of
// the arguments contains them. `*` means every member except `name`.

/** @typedef {{ readonly kind: 'AnyOf' | 'AtMostOne' | 'OneOf', readonly members: readonly string[] | '*' }} Choice */

/** The call must set something: a new record needs more than its name, and a change without other members would change nothing. */
const MORE_THAN_A_NAME = { kind: 'AnyOf', members: '*' }
const PATHS = { kind: 'AnyOf', members: ['paths', 'path'] }

/** @type {Readonly<Record<string, readonly Choice[]>>} The rules by `<view>.<method>`. For a batch operation they apply to each item. */
export const CHOICES = {
  'transit.verify': [{ kind: 'OneOf', members: ['signature', 'hmac'] }],
  'policies.writePolicy': [{ kind: 'AnyOf', members: ['policy', 'rules'] }],
  'policies.capabilities': [PATHS],
  'policies.capabilitiesSelf': [PATHS],
  'policies.capabilitiesAccessor': [PATHS],
  'database.writeStaticRole': [MORE_THAN_A_NAME, { kind: 'AtMostOne', members: ['rotation_period', 'rotation_schedule'] }],
  'cloud.writeStaticRole': [MORE_THAN_A_NAME],
}

/**
 * The declaration of a type: the interface `members` with the rules.
 * @param {string} name of the type
 * @param {string} members the name of the interface
 * @param {readonly Choice[]} choices
 */
export function choiceType(name, members, choices) {
  const rules = choices.map((choice) => {
    const names =
      choice.members === '*' ? `Exclude<keyof ${members}, 'name'>` : choice.members.map((member) => `'${member}'`).join(' | ')
    return `${choice.kind}<${members}, ${names}>`
  })
  return `export type ${name} = ${[members, ...rules].join(' & ')}\n`
}
