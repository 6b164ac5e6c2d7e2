/** Language and theme. The language is also stored with the account, for mails. */
import { Group, NativeSelect, Stack, Text, Title, useMantineColorScheme } from '@mantine/core'
import { management } from '#api/manage.ts'
import { changeLanguage, type Language, language, languages, t } from '#i18n/translate.ts'
import { colorSchemes } from '#ui/color-schemes.ts'

export const Preferences = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Stack gap="sm" maw={560}>
      <Title order={2} size="h4">
        {t('Language and theme')}
      </Title>
      <Text size="sm">{t('Mails to you and the sign-in pages use the language too.')}</Text>
      <Group align="flex-start" grow>
        <NativeSelect
          label={t('Language')}
          value={language}
          // The options are the languages.
          onChange={event => void storeLanguage(event.currentTarget.value as Language)}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        />
        <NativeSelect
          label={t('Theme')}
          value={colorScheme}
          onChange={event => {
            const { value } = event.currentTarget
            setColorScheme(colorSchemes.find(({ scheme }) => scheme === value)?.scheme ?? 'auto')
          }}
          data={colorSchemes.map(({ scheme, label }) => ({ value: scheme, label }))}
        />
      </Group>
    </Stack>
  )
}

/** Saves the language in the account and for the sign-in pages of this browser, then shows the page in it. */
const storeLanguage = async (chosen: Language): Promise<void> => {
  // The console changes even if the server can't be reached.
  await Promise.allSettled([
    management.call('updateMe', { input: { language: chosen } }),
    fetch(`/factors?page_language=${chosen}`, { redirect: 'manual' }),
  ])
  changeLanguage(chosen)
}
