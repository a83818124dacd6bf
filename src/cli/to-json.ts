/** JSON in one line. Integers that are bigints keep all their digits. */
export async function toJson(value: object): Promise<string> {
  const { jsonText } = await import('../core/json/json-text.ts')
  return jsonText(value)
}
