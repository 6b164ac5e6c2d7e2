import { Page } from '#ui/page.tsx'

export const TeamMembers = () => <Page title="Team Members">{null}</Page>
