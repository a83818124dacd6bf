import { describeTexts, textOf } from './hard-texts.ts'

const LENGTH = 1024

describeTexts({
  each: 7,
  check: async (ask, units) => {
    const wrong: string[] = []
    for (const unit of units) {
      const { status } = await ask(textOf(unit, LENGTH))
      if (status >= 500) wrong.push(`${JSON.stringify(unit)} is answered with ${status}`)
    }
    return wrong
  },
})
