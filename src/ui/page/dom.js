// @ts-check
/** Creates elements. All text becomes text nodes, so no value is ever parsed as HTML. */

/** @typedef {Node | string | number | null | undefined | false} Child */

/** The attributes that elements of this page have. None of them can contain a script. */
const ATTRIBUTES = new Set(
  (
    'alt aria-busy aria-controls aria-current aria-describedby aria-expanded aria-hidden aria-label aria-labelledby aria-live autocomplete ' +
    'checked class cols colspan datetime disabled for height hidden href id max maxlength min name placeholder readonly required ' +
    'role rows scope selected size spellcheck tabindex type value width'
  ).split(' '),
)

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} [attributes] `true` sets an empty attribute; `false` and undefined
 * set none. An `href` must begin with `#`.
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[N]}
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (!(ATTRIBUTES.has(key) || key.startsWith('data-'))) throw new TypeError(`${key}: is not an attribute of this page`)
    if (key === 'href' && !String(value).startsWith('#')) throw new TypeError('href: must begin with #')
    if (value === undefined || value === false) continue
    element.setAttribute(key, value === true ? '' : String(value))
  }
  append(element, children)
  return element
}

/**
 * @param {Element | DocumentFragment} parent
 * @param {readonly Child[]} children
 */
export function append(parent, children) {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) parent.append(child instanceof Node ? child : String(child))
}

/**
 * @param {Element} parent
 * @param {Child[]} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren()
  append(parent, children)
}

/**
 * @param {string} label
 * @param {() => unknown} act
 * @param {Readonly<Record<string, string | boolean | undefined>>} [attributes]
 */
export function button(label, act, attributes = {}) {
  const element = el('button', { type: 'button', ...attributes }, label)
  element.addEventListener('click', act)
  return element
}

/**
 * A form that calls a function and never sends a request of its own.
 * @param {(data: FormData) => unknown} act
 * @param {Readonly<Record<string, string>>} attributes
 * @param {Child[]} children
 */
export function form(act, attributes, ...children) {
  const element = el('form', attributes, ...children)
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    act(new FormData(element))
  })
  return element
}

let fields = 0

/**
 * A label with its control.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  fields++
  control.id = `field-${fields}`
  const note = hint === undefined ? undefined : el('small', { id: `hint-${fields}` }, hint)
  if (note) control.setAttribute('aria-describedby', note.id)
  return el('div', { class: 'field' }, el('label', { for: control.id }, label), control, note)
}

/**
 * @param {string} name
 * @param {readonly (readonly [value: string, label: string])[]} options
 * @param {string} chosen
 */
export function select(name, options, chosen) {
  const items = options.map(([value, label]) => el('option', { value, selected: value === chosen }, label))
  return el('select', { name }, ...items)
}

/** @param {Child[]} children */
export const code = (...children) => el('code', {}, ...children)

/**
 * A short state with a color. The text alone has the meaning.
 * @param {'good' | 'warn' | 'bad' | 'plain'} tone
 * @param {string} text
 */
export const badge = (tone, text) => el('span', { class: `badge ${tone}` }, text)

/** A list of names with values. @param {readonly (readonly [string, Child] | false | undefined)[]} entries */
export function facts(entries) {
  const rows = entries.flatMap((entry) => (entry ? [el('div', {}, el('dt', {}, entry[0]), el('dd', {}, entry[1]))] : []))
  return el('dl', { class: 'facts' }, ...rows)
}
