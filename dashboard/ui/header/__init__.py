"""The head of every page: menus, links to the manual, projects, sign-out."""
